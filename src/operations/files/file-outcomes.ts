/** Builds outcomes that several operations on files share. */
import { type Refused, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';

export function refuseUnknownFile(): Refused {
  return refuse([requestProblem('file_not_found', 'No file with this id. Files are kept for 30 days.')]);
}

export function refuseUnknownReport(): Refused {
  return refuse([
    requestProblem('report_not_found', 'No report with this id, or the report is not ready or has expired.'),
  ]);
}
