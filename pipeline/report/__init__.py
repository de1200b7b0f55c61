"""What people see: terminal text, progress, tables, plots, losses. Works from records; never imports a tracker."""
