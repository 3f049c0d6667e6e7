/** Assembles the portal's services in one process. */
import { Passwords } from '../access/portal/passwords.ts';
import { SessionLookup } from '../access/portal/session-lookup.ts';
import { SignInFailures } from '../access/portal/sign-in-failures.ts';
import { SignInProvider } from '../access/portal/sign-in-provider.ts';
import { SlidingWindowLimiter } from '../access/rates/rate-limiter.ts';
import { nameSettings, type Settings } from '../config/settings.ts';
import { DEMO_LOGINS, isDemoSignIn } from '../demo/demo-people.ts';
import { LIMITS } from '../domain/limits.ts';
import type { SetupChecks } from '../domain/setup/all-setup.ts';
import type { PortalServices } from '../http/services.ts';
import type { ProcessParts } from './process-parts.ts';

const USERS_MAX = 10_000;
const ACCOUNTS_MAX = 10_000;
const HOUR_SECONDS = 3600;

export function createPortalServices(
  { settings, store, setup, telemetry, clock }: ProcessParts,
  { checks, isDemo }: { readonly checks: SetupChecks; readonly isDemo: boolean },
): PortalServices {
  const { requestsPerMinute, fileBytesMax, fileUnpackedBytesMax, history_days } = settings;
  const limits = { requestsPerMinute, fileBytesMax, fileUnpackedBytesMax, history_days };
  return {
    directory: setup.directory,
    people: store.people,
    onActUnrecorded: ({ by, act }, error) => telemetry.observe('activity_log_failed', { by, act, error }),
    merchantActs: new SlidingWindowLimiter<number>({
      limit: LIMITS.webhook_changes_per_hour_max,
      window_seconds: HOUR_SECONDS,
      keysMax: ACCOUNTS_MAX,
    }),
    signIn: {
      store: store.people,
      checks,
      passwords: new Passwords(),
      failures: new SignInFailures(),
      isRefused: isDemo ? undefined : isDemoSignIn,
      directory: setup.directory,
      provider: providerOf(settings, (reason) => telemetry.observe('sign_in_provider_failed', { reason })),
      operatorsNeedPasskey: settings.operatorPasskeys === 'required',
      onPasskeyRefused: (reason) => telemetry.observe('passkey_refused', { reason }),
      ...clock,
    },
    sessions: new SessionLookup(store.people),
    freshSignIn_ms: settings.freshSignIn_minutes * 60_000,
    requests: new SlidingWindowLimiter<string>({
      limit: LIMITS.portal_requests_per_window_max,
      window_seconds: LIMITS.request_window_seconds,
      keysMax: USERS_MAX,
    }),
    shown: { demoLogins: isDemo ? DEMO_LOGINS : [], names: nameSettings(settings), ...limits },
  };
}

function providerOf(settings: Settings, onFailure: (reason: string) => void): SignInProvider | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcScopes, oidcRoleClaim, oidcName } = settings;
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  return new SignInProvider({
    ...{ issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret },
    ...{ scopes: oidcScopes, roleClaim: oidcRoleClaim, name: oidcName, onFailure },
  });
}

/** Drops expired counters. */
export function sweepPortal({ requests, merchantActs, sessions, signIn }: PortalServices, monotonicMs: number): void {
  for (const one of [requests, merchantActs, sessions, signIn.failures]) one.sweep(monotonicMs);
}
