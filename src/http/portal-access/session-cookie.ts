/** In charge of the cookie that holds the token of a session. Scripts cannot read it, and no other site can send it. */

const NAME = 'offerbook_session';

/** The token that a browser sent; undefined when it sent none. */
export function sessionToken(cookieHeader: string | undefined): string | undefined {
  return cookieHeader
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${NAME}=`))
    ?.slice(NAME.length + 1);
}

/** Until the browser is closed; the server knows when it ends. */
export function sessionCookie(token: string, publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${NAME}=${token}; ${attributes(publicUrl)}` };
}

export function endedSessionCookie(publicUrl: string): { readonly 'set-cookie': string } {
  return { 'set-cookie': `${NAME}=; Max-Age=0; ${attributes(publicUrl)}` };
}

/** For the portal alone, which may be below a path. */
function attributes(publicUrl: string): string {
  const { pathname, protocol } = new URL(publicUrl);
  const path = `${pathname.replace(/\/$/, '')}/portal`;
  return `Path=${path}; HttpOnly; SameSite=Strict${protocol === 'https:' ? '; Secure' : ''}`;
}
