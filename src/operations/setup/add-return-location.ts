/** Use case: an operator adds a return location to a merchant. */
import type { Account } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { fieldProblem, type Problem, requestProblem } from '../../domain/problem.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { problemsOf, readWholeTarget, type SetupTarget } from './merchant-accounts.ts';

/** Checks every account before it changes the first, so that a refusal leaves both environments unchanged. */
export async function addReturnLocation(
  context: SetupContext,
  target: SetupTarget,
  body: SentBody,
): Promise<Outcome<string>> {
  const checked = context.checks.returnLocation(body);
  const found = await readWholeTarget(context.store, target);
  if (!checked.ok || !found.ok) return refuse(problemsOf(checked, found), checked.ignored);
  const locationId = checked.value.return_location_id;
  const problems = found.value.flatMap((account) => checkNew(account, locationId));
  if (problems.length > 0) return refuse(problems, checked.ignored);
  // A location is only an id, so it is the same even if another operator added it in the meantime.
  for (const { accountId } of found.value) await context.store.settings.addReturnLocation(accountId, locationId);
  return accept(locationId, checked.ignored);
}

function checkNew({ returnLocationIds, environment }: Account, locationId: string): readonly Problem[] {
  if (returnLocationIds.has(locationId)) {
    return [fieldProblem('return_location_exists', ['return_location_id'], `already exists in ${environment}`)];
  }
  const max = LIMITS.return_locations_per_account_max;
  if (returnLocationIds.size < max) return [];
  return [
    requestProblem(
      'return_locations_full',
      `Limit reached: the merchant has ${max} return locations in ${environment}. Remove one first.`,
    ),
  ];
}
