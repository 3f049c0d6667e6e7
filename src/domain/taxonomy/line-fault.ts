/** Describes a problem in a line of a taxonomy file. */
import type { ProblemCode } from '../problem.ts';

export type FaultCode = Exclude<Extract<ProblemCode, `taxonomy_${string}`>, 'taxonomy_node_not_found'>;

export interface LineFault {
  readonly code: FaultCode;
  /** 0 when the problem is in no particular line. */
  readonly line: number;
  readonly text: string;
}
