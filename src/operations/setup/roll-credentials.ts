/**
 * Use cases: add, roll and revoke the credential sets of a merchant or of the marketplace in one environment, one set at a time or all at
 * once; replace the key that signs tokens.
 */
import type { Environment, NewCredential } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { overlapSeconds, rightsIn } from '../../domain/setup/credential-roll.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { problemsOf, readWholeMerchant } from './merchant-accounts.ts';

export interface RolledCredentials {
  /** When the replaced credential set and its tokens stop working. */
  readonly previousEndMs: number;
}

export interface KeyOwner {
  /** Null for the marketplace. */
  readonly merchantId: string | null;
  readonly environment: Environment;
}

/** No account has this id: ids are generated from 1. The marketplace has no account before its first key. */
const NO_ACCOUNT = 0;

export async function marketplaceAccountId(
  { store }: Pick<SetupContext, 'store'>,
  environment: Environment,
  isAdded: boolean,
): Promise<number> {
  const found = await store.settings.readMarketplaceAccount(environment);
  return found ?? (isAdded ? await store.settings.addMarketplaceAccount(environment) : NO_ACCOUNT);
}

async function accountIdOf({ store }: SetupContext, { merchantId, environment }: KeyOwner): Promise<Outcome<number>> {
  if (merchantId === null) return accept(await marketplaceAccountId({ store }, environment, false));
  const merchant = await readWholeMerchant(store, merchantId);
  return merchant.ok ? accept(merchant.value.accounts[environment]) : merchant;
}

/**
 * Replaces the credential set of `user`, or all sets if it is null. Refuses a set that was already rolled, because its overlap would
 * change without notice.
 */
export async function rollCredential(
  context: SetupContext,
  owner: KeyOwner,
  user: string | null,
  body: SentBody,
  next: NewCredential,
): Promise<Outcome<RolledCredentials>> {
  // The key that replaces all keys has all rights of a merchant's key.
  if (owner.merchantId === null && user === null) throw new Error('Keys of the marketplace are rolled one by one.');
  const checked = context.checks.credentialRoll(body);
  const account = await accountIdOf(context, owner);
  if (!checked.ok || !account.ok) return refuse(problemsOf(checked, account), checked.ignored);
  const nowMs = context.nowMs();
  const previousEndMs = nowMs + overlapSeconds(checked.value) * 1000;
  const rolled = await context.store.settings.rollCredential(account.value, user, next, nowMs, previousEndMs);
  if (rolled === 'stored') return accept({ previousEndMs }, checked.ignored);
  if (rolled === 'unknown') return refuse([keyUnknown(user)], checked.ignored);
  if (rolled === 'full') {
    const max = LIMITS.credentials_per_account_max;
    const text = `Limit reached: ${max} replaced keys still work in ${owner.environment}. Revoke one, or roll without an overlap.`;
    return refuseRequest('keys_full', text, checked.ignored);
  }
  const text = `Key ${user} was already rolled. Roll the key that replaced it, or revoke this one.`;
  return refuseRequest('key_replaced', text, checked.ignored);
}

/** Adds a credential set, without changing the others, and returns its name. */
export async function addCredential(
  context: SetupContext,
  owner: KeyOwner,
  body: SentBody,
  next: NewCredential,
): Promise<Outcome<string>> {
  const { newCredential, marketplaceKey } = context.checks;
  const checked = owner.merchantId === null ? marketplaceKey(body) : newCredential(body);
  const account = await accountIdOf(context, owner);
  if (!checked.ok || !account.ok) return refuse(problemsOf(checked, account), checked.ignored);
  const { name } = checked.value;
  const { settings } = context.store;
  const accountId =
    account.value === NO_ACCOUNT ? await marketplaceAccountId(context, owner.environment, true) : account.value;
  const max = LIMITS.credentials_per_account_max;
  const added = await settings.addCredential(
    accountId,
    { ...next, ...rightsIn(checked.value), name },
    context.nowMs(),
    max,
  );
  if (added === 'stored') return accept(name, checked.ignored);
  const whose = owner.merchantId === null ? 'marketplace' : 'merchant';
  const text = `Limit reached: the ${whose} has ${max} active keys in ${owner.environment}. Revoke one first.`;
  return refuseRequest('keys_full', text, checked.ignored);
}

/** Revokes a credential set. The set and its tokens stop working immediately. */
export async function revokeCredential(
  context: SetupContext,
  owner: KeyOwner,
  user: string,
): Promise<Outcome<undefined>> {
  const account = await accountIdOf(context, owner);
  if (!account.ok) return account;
  const revoked = await context.store.settings.revokeCredential(account.value, user);
  return revoked === 'stored' ? accept(undefined) : refuse([keyUnknown(user)]);
}

function keyUnknown(user: string | null): Problem {
  return requestProblem('key_unknown', `No active key ${JSON.stringify(user)}.`);
}

export interface RolledSigningKey {
  readonly keyId: string;
  /** When tokens signed with an older key stop working. */
  readonly previousEndMs: number;
}

/** Servers sign with the old key until they notice the new one. Tokens signed in that time keep their full lifetime too. */
const PREVIOUS_KEY_SECONDS = LIMITS.setup_notice_seconds_max + LIMITS.token_lifetime_seconds;

export async function rollSigningKey(
  context: SetupContext,
  key: { readonly keyId: string; readonly secret: Uint8Array },
  previous: 'until_tokens_expire' | 'revoked',
): Promise<Outcome<RolledSigningKey>> {
  const nowMs = context.nowMs();
  const previousEndMs = previous === 'revoked' ? nowMs : nowMs + PREVIOUS_KEY_SECONDS * 1000;
  await context.store.settings.addSigningKey(key, nowMs, previousEndMs);
  return accept({ keyId: key.keyId, previousEndMs });
}
