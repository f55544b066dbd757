"""What a person keeps for the page: saved views and preferences. No one else reads or changes them."""
