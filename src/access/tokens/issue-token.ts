/** Use case: a merchant's program exchanges its credential set for a token. */
import type { Account } from '../../domain/account.ts';
import { type Author, authorOfKey } from '../../domain/author.ts';
import type { BodyCheck } from '../../domain/bodies/body-check.ts';
import type { TokenRequest } from '../../domain/bodies/token.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { AccountDirectory } from '../account-directory.ts';
import { fitsSecret, NO_CREDENTIAL } from './secrets.ts';
import { claimsFor, signToken } from './token.ts';
import type { ThrottledSecret, TokenFailures } from './token-failures.ts';

export interface TokenContext {
  readonly directory: AccountDirectory;
  readonly checkBody: BodyCheck<TokenRequest>;
  readonly failures: TokenFailures;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresSeconds: number;
  readonly account: Account;
  /** The credential set that the token is for. */
  readonly by: Author;
}

export type TokenOutcome = Outcome<IssuedToken> | { readonly throttled: ThrottledSecret };

export async function issueToken(
  context: TokenContext,
  body: SentBody,
  caller: { readonly address: string; readonly wallMs: number; readonly monotonicMs: number },
): Promise<TokenOutcome> {
  const checked = context.checkBody(body);
  if (!checked.ok) return checked;
  const { user, pass } = checked.value;
  const credential = await context.directory.credentialOfUser(user);
  const isCurrent = credential !== undefined && (credential.endsMs === null || caller.wallMs < credential.endsMs);
  const fits = fitsSecret(isCurrent ? credential : NO_CREDENTIAL, pass) && isCurrent;
  const account = fits ? await context.directory.account(credential.accountId) : undefined;
  if (!fits || account === undefined) {
    const throttled = context.failures.take(caller.address, user, caller.monotonicMs);
    if (throttled !== undefined) return { throttled };
    return refuseRequest('credentials_wrong', 'Incorrect user or secret.', checked.ignored);
  }
  const [key] = await context.directory.signingKeys();
  if (key === undefined) throw new Error('No signing key exists. The server creates one when it starts.');
  const claims = claimsFor(account.accountId, credential.credentialId, caller.wallMs);
  const token = signToken(claims, key);
  return accept({ token, expiresSeconds: claims.expiresSeconds, account, by: authorOfKey(user) }, checked.ignored);
}
