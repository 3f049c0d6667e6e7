/**
 * Reads and writes the cookies for the session, for a sign-in with the provider or a passkey, and for the merchant that an operator views. Scripts cannot read them,
 * and other sites cannot send them.
 */
import { LIMITS } from '../../domain/limits.ts';

/** Holds the session token. It lasts until the browser is closed; the server knows when the session ends. */
export const SESSION_COOKIE = portalCookie('offerbook_session');
/** Names the merchant that an operator views (see access/portal/viewed-merchant.ts). */
export const VIEW_COOKIE = portalCookie('offerbook_view');

/** Belongs to a sign-in with the provider that has begun (see access/portal/sign-in-provider.ts). */
export const PROVIDER_COOKIE = portalCookie('offerbook_sign_in', `; Max-Age=${LIMITS.provider_sign_in_seconds}`);

/** Belongs to the challenge that a passkey signs (see access/portal/passkey-challenges.ts). */
export const PASSKEY_COOKIE = portalCookie('offerbook_passkey', `; Max-Age=${LIMITS.passkey_challenge_seconds}`);

function portalCookie(name: string, lifetime = '') {
  const header = (value: string, publicUrl: string) => ({ 'set-cookie': `${name}=${value}; ${attributes(publicUrl)}` });
  return {
    set: (value: string, publicUrl: string) => header(`${value}${lifetime}`, publicUrl),
    end: (publicUrl: string) => header('; Max-Age=0', publicUrl),
    /** Returns the value that a browser sent; undefined when there is none. */
    read: (cookieHeader: string | undefined) =>
      cookieHeader
        ?.split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
  };
}

/** The cookie is limited to the portal, which may be below a path. */
function attributes(publicUrl: string): string {
  const { pathname, protocol } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}/portal`;
  return `Path=${path}; HttpOnly; SameSite=Strict${protocol === 'https:' ? '; Secure' : ''}`;
}
