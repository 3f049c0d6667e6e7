/** Loads a page's code when the page is first opened, and reports when the server does not respond. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { noAnswer } from '../api/problem.ts';

/** The router reloads the document when a code file is missing, because a newer server version has other file names. */
export function lazyPage<Pages extends Record<string, unknown>, Name extends keyof Pages>(
  load: () => Promise<Pages>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (error) {
      // If the server is down, that reload would replace the portal with the browser's error page.
      throw (await isServerReachable()) ? error : noAnswer();
    }
  }, name);
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch(document.baseURI, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
