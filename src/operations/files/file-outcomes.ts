/** In charge of the answers that several operations on files give. */
import { type Refused, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';

export function refuseUnknownFile(): Refused {
  return refuse([requestProblem('file_not_found', 'You have no file of this id; files are kept for 30 days.')]);
}

export function refuseUnknownReport(): Refused {
  return refuse([requestProblem('report_not_found', 'You have no report of this id that can be read.')]);
}
