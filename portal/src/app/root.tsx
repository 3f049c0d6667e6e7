/** Renders the current page, with the sign-in dialog and the unsaved-changes guard that every page has. */
import { Outlet } from '@tanstack/react-router';
import { AskBeforeLeaving } from '../ui/forms/unsaved.tsx';
import { SignInAgain } from './sign-in-again.tsx';

export function Root() {
  return (
    <>
      <Outlet />
      <SignInAgain />
      <AskBeforeLeaving />
    </>
  );
}
