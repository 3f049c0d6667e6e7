/** Reads and writes the session cookie. Scripts cannot read it, and other sites cannot send it. */

const NAME = 'offerbook_session';

/** The token that a browser sent; undefined when there is none. */
export function sessionToken(cookieHeader: string | undefined): string | undefined {
  return cookieHeader
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${NAME}=`))
    ?.slice(NAME.length + 1);
}

/** Until the browser is closed; the server knows when the session ends. */
export function sessionCookie(token: string, publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${NAME}=${token}; ${attributes(publicUrl)}` };
}

export function endedSessionCookie(publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${NAME}=; Max-Age=0; ${attributes(publicUrl)}` };
}

/** Limited to the portal, which may be below a path. */
function attributes(publicUrl: string): string {
  const { pathname, protocol } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}/portal`;
  return `Path=${path}; HttpOnly; SameSite=Strict${protocol === 'https:' ? '; Secure' : ''}`;
}
