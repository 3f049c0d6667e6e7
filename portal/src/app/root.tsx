/** In charge of what stands beside every page. */
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
