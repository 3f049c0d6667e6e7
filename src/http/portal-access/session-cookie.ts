/**
 * Reads and writes the cookies for the session and for the merchant that an operator views. Scripts cannot read them,
 * and other sites cannot send them.
 */

/** Holds the session token. It lasts until the browser is closed; the server knows when the session ends. */
export const SESSION_COOKIE = portalCookie('offerbook_session');
/** Names the merchant that an operator views (see access/portal/viewed-merchant.ts). */
export const VIEW_COOKIE = portalCookie('offerbook_view');

function portalCookie(name: string) {
  const header = (value: string, publicUrl: string) => ({ 'set-cookie': `${name}=${value}; ${attributes(publicUrl)}` });
  return {
    set: header,
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
