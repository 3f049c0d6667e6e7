/**
 * Reads and writes the cookies for the session and for the merchant that an operator views. Scripts cannot read them,
 * and other sites cannot send them.
 */

const NAME = 'offerbook_session';
const VIEW_NAME = 'offerbook_view';

/** The token that a browser sent; undefined when there is none. */
export function sessionToken(cookieHeader: string | undefined): string | undefined {
  return cookieValue(cookieHeader, NAME);
}

/** Returns the cookie value that names the merchant that an operator views (see access/viewed-merchant.ts). */
export function viewCookieValue(cookieHeader: string | undefined): string | undefined {
  return cookieValue(cookieHeader, VIEW_NAME);
}

function cookieValue(cookieHeader: string | undefined, name: string): string | undefined {
  return cookieHeader
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

export function viewCookie(value: string, publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${VIEW_NAME}=${value}; ${attributes(publicUrl)}` };
}

export function endedViewCookie(publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${VIEW_NAME}=; Max-Age=0; ${attributes(publicUrl)}` };
}

/** The cookie lasts until the browser is closed; the server knows when the session ends. */
export function sessionCookie(token: string, publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${NAME}=${token}; ${attributes(publicUrl)}` };
}

export function endedSessionCookie(publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${NAME}=; Max-Age=0; ${attributes(publicUrl)}` };
}

/** The cookie is limited to the portal, which may be below a path. */
function attributes(publicUrl: string): string {
  const { pathname, protocol } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}/portal`;
  return `Path=${path}; HttpOnly; SameSite=Strict${protocol === 'https:' ? '; Secure' : ''}`;
}
