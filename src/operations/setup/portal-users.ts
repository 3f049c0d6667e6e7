/** Use cases: an operator adds and lists portal users, and hands one a new link to set a password by. */
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { fieldProblem, requestProblem } from '../../domain/problem.ts';
import { normaliseEmail } from '../../domain/setup/portal-user.ts';
import type { OneTimeLink, PortalUser } from '../../store/port.ts';
import { merchantUnknown } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export async function addPortalUser(
  context: SetupContext,
  body: SentBody,
  link: OneTimeLink,
): Promise<Outcome<PortalUser>> {
  const checked = context.checks.portalUser(body);
  if (!checked.ok) return checked;
  const { email, role, merchant: merchantId = null } = checked.value;
  const user = { email: normaliseEmail(email), role, merchantId, createdMs: context.nowMs() };
  switch (await context.store.addPortalUser(user, link)) {
    case 'stored':
      return accept(user, checked.ignored);
    case 'exists':
      return refuse([fieldProblem('user_exists', ['email'], 'is a user already; "user reset" makes a new link')]);
    case 'merchant_unknown':
      return refuse([merchantUnknown(merchantId ?? '')]);
  }
}

export async function listPortalUsers(context: SetupContext): Promise<Outcome<readonly PortalUser[]>> {
  return accept(await context.store.listPortalUsers());
}

/** Links that the user was given before stop working. */
export async function resetPortalUser(
  context: SetupContext,
  email: string,
  link: OneTimeLink,
): Promise<Outcome<PortalUser>> {
  const normalised = normaliseEmail(email);
  const written = await context.store.replaceLink(normalised, link, context.nowMs());
  const user = written === 'stored' ? await context.store.readPortalUser(normalised) : undefined;
  return user === undefined
    ? refuse([requestProblem('user_unknown', `There is no portal user ${JSON.stringify(email)}.`)])
    : accept(user);
}
