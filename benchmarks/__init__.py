"""Speed and memory against peers, measured in one run; the table goes to RESULTS.md."""
