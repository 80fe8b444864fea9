"""The report: a run as one page of HTML that needs nothing else, for people who design missions."""
