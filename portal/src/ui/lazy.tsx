/** Loads code when it is first needed, and reports when the server does not respond. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { newVersion, noAnswer } from '../api/problem.ts';
import { Failed } from './states.tsx';

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

/**
 * Part of a page whose code loads when the part is first shown. If that fails, the part shows the error: unlike a page, it never reloads
 * the document, because that would discard unsaved input in other parts.
 */
export function lazyPart<Props extends object, Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
  Meanwhile: ComponentType = () => null,
) {
  let loaded: ComponentType<Props> | undefined;
  return function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    const [error, setError] = useState<Error>();
    const start = useCallback(async (again?: 'again') => {
      setError(undefined);
      try {
        loaded = (await (again ? load().catch(importAgain) : load()))[name];
        setPart(() => loaded);
      } catch {
        setError((await isServerReachable()) ? newVersion() : noAnswer());
      }
    }, []);
    useEffect(() => {
      if (Part === undefined) void start();
    }, [Part, start]);
    if (Part !== undefined) return <Part {...props} />;
    if (error !== undefined) return <Failed error={error} retry={() => void start('again')} />;
    return <Meanwhile />;
  };
}

/** Some browsers remember by its URL that a file failed to load, and do not request it again. Their error message ends with the URL. */
async function importAgain(error: Error) {
  const [url] = /https?:\/\/\S+$/.exec(error.message) ?? [];
  if (url === undefined) throw error;
  return import(/* @vite-ignore */ `${url}?again=${Date.now()}`);
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch(document.baseURI, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
