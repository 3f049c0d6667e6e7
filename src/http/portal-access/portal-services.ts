/** The dependencies of portal calls, in addition to the API's dependencies: users and sessions. */

import type { AccountDirectory } from '../../access/account-directory.ts';
import type { RateLimiter, SlidingWindowLimiter } from '../../access/rate-limiter.ts';
import type { SessionLookup } from '../../access/session-lookup.ts';
import type { SignInContext } from '../../access/sign-in.ts';
import type { NameSettings } from '../../domain/names.ts';
import type { Act, PeopleStore } from '../../store/port/people.ts';

export interface PortalServices {
  readonly directory: AccountDirectory;
  readonly people: PeopleStore;
  /** Reports an action that could not be written to the activity log. */
  readonly onActUnrecorded: (act: Pick<Act, 'by' | 'act'>, error: unknown) => void;
  /** Limits how many entries each account can add to the activity log. */
  readonly merchantActs: SlidingWindowLimiter<number>;
  readonly signIn: SignInContext;
  readonly sessions: SessionLookup;
  /** Rate limits of users by email address, and of visitors by network (client-network.ts). */
  readonly requests: RateLimiter<string>;
  /** Settings that pages show or use. */
  readonly shown: ShownSettings;
}

export interface ShownSettings {
  /** Public logins of the demo; empty on every other server. */
  readonly demoLogins: readonly { readonly email: string; readonly password: string }[];
  readonly names: NameSettings;
  readonly requestsPerMinute: number;
  readonly fileBytesMax: number;
  readonly fileUnpackedBytesMax: number;
  readonly history_days: number;
}
