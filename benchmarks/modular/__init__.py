"""How good the min-max modular SVM is: the plan, the choice on training documents, the run, the report."""
