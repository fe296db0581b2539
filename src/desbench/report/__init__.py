"""What a finished sweep says: summary files, the table on the screen, results for notebooks."""
