import '../harness/suite.ts';
