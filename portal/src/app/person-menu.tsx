/** Button in the header that opens the menu of the signed-in user. The code of the menu loads with the first click. */
import { UnstyledButton, type UnstyledButtonProps } from '@mantine/core';
import { type ComponentPropsWithRef, useState } from 'react';
import { usePerson } from '../api/session.ts';
import { lazyPart } from '../ui/lazy.tsx';
import classes from './shell.module.css';

export interface PersonMenuProps {
  readonly accountPath: string;
}

const PersonMenuList = lazyPart(
  () => import('./person-menu-list.tsx'),
  'PersonMenuList',
  () => <PersonButton />,
);

export function PersonMenu(props: PersonMenuProps) {
  const [isUsed, setUsed] = useState(false);
  return isUsed ? <PersonMenuList {...props} /> : <PersonButton aria-haspopup="menu" onClick={() => setUsed(true)} />;
}

export function PersonButton(props: UnstyledButtonProps & ComponentPropsWithRef<'button'>) {
  const { email } = usePerson();
  return (
    // The menu passes an empty class name.
    <UnstyledButton aria-label={`Account menu for ${email}`} {...props} className={classes.initial}>
      {email.charAt(0).toUpperCase()}
    </UnstyledButton>
  );
}
