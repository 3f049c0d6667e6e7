/** Renders the current page, with the sign-in dialog, the unsaved-changes guard and the note about a lost connection that every page has. */
import { Outlet } from '@tanstack/react-router';
import { AskBeforeLeaving } from '../ui/forms/unsaved.tsx';
import { OfflineStrip } from './offline-strip.tsx';
import { SignInAgain } from './sign-in-again.tsx';

export function Root() {
  return (
    <>
      <Outlet />
      <OfflineStrip />
      <SignInAgain />
      <AskBeforeLeaving />
    </>
  );
}
