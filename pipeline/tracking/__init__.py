"""Copies of finished work in a tracking store. The files are the truth; nothing is ever read back from here."""
