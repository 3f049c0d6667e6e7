/** In charge of what can be wrong with the lines of a taxonomy file. */
import type { ProblemCode } from '../problem.ts';

export type FaultCode = Exclude<Extract<ProblemCode, `taxonomy_${string}`>, 'taxonomy_node_not_found'>;

export interface LineFault {
  readonly code: FaultCode;
  /** 0 where no line is to blame. */
  readonly line: number;
  readonly text: string;
}
