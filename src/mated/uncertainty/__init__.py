"""How sure a number is: intervals, bootstraps, tests between systems and plans for a test."""
