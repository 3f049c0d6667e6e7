/** Describes an error of a whole file, such as a byte after which it cannot be read. */
import { type Problem, type ProblemCode, requestProblem } from '../domain/problem.ts';

export interface FileFault {
  readonly problem: Problem;
  /** Offset in the unpacked file. */
  readonly offset: number;
  /** Line and column in the unpacked file, from 1; undefined if unknown, as in a damaged gzip file. */
  readonly line?: number;
  readonly column?: number;
}

export function fileFault(code: ProblemCode, message: string, offset: number): FileFault {
  return { problem: requestProblem(code, message), offset };
}

/** Added to errors that leave bytes unread. */
export const REST_UNREAD = 'The rest of the file was not read.';
