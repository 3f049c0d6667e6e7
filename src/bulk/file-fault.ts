/** Describes an error of a file as a whole: it cannot be read from some byte on, and the rest is not processed. */
import { type Problem, type ProblemCode, requestProblem } from '../domain/problem.ts';

export interface FileFault {
  readonly problem: Problem;
  /** In the unpacked file. */
  readonly offset: number;
  /** Its line and column there, from 1; undefined where they are unknown, as in a damaged gzip file. */
  readonly line?: number;
  readonly column?: number;
}

export function fileFault(code: ProblemCode, message: string, offset: number): FileFault {
  return { problem: requestProblem(code, message), offset };
}

/** For errors after which unread bytes remain. */
export const REST_UNREAD = 'The rest of the file was not read.';
