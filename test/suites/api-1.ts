/** The files of test/api, part 1 of 4; see test/harness/api-suite.ts. */
import { defineApiPart } from '../harness/api-suite.ts';

await defineApiPart(0);
