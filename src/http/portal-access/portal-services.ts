/** What calls of the portal are given beside the services of the API: who people are, and how they get in. */

import type { AccountDirectory } from '../../access/account-directory.ts';
import type { RateLimiter } from '../../access/rate-limiter.ts';
import type { SessionLookup } from '../../access/session-lookup.ts';
import type { SignInContext } from '../../access/sign-in.ts';
import type { NameSettings } from '../../domain/names.ts';
import type { Act, PeopleStore } from '../../store/port/people.ts';

export interface PortalServices {
  readonly directory: AccountDirectory;
  readonly people: PeopleStore;
  /** Something was done, and its record could not be written. */
  readonly onActUnrecorded: (act: Pick<Act, 'by' | 'act'>, error: unknown) => void;
  readonly signIn: SignInContext;
  readonly sessions: SessionLookup;
  /** Requests of a person, by e-mail, and of those who have not signed in, by client-network.ts. */
  readonly requests: RateLimiter<string>;
  /** What the pages tell people of, and count by. */
  readonly shown: ShownSettings;
}

export interface ShownSettings {
  readonly isDemo: boolean;
  readonly names: NameSettings;
  readonly requestsPerMinute: number;
  readonly fileBytesMax: number;
  readonly fileUnpackedBytesMax: number;
  readonly historyDays: number;
}
