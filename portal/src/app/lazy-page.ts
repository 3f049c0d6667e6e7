/** In charge of pages whose code comes when they are first opened, and of what is said where it does not come. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { noAnswer } from '../api/problem.ts';

/** The router opens the document anew where code is not there, because another version of the server has other files. */
export function lazyPage<Pages extends Record<string, unknown>, Name extends keyof Pages>(
  load: () => Promise<Pages>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (error) {
      // Without a server the browser would show a page of its own in place of this one.
      throw (await isServerThere()) ? error : noAnswer();
    }
  }, name);
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch(document.baseURI, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
