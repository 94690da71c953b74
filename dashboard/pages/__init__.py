"""What pages are made of beside `reporting.page`: the frame around them, and small parts."""
