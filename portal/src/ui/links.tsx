/** Mantine links and buttons whose targets the router type-checks. */
import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type LinkAttributes<Own> = Own &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Own> & { ref?: Ref<HTMLAnchorElement> };

export const TextLink = createLink((props: LinkAttributes<AnchorProps>) => <Anchor {...props} />);

export const ButtonLink = createLink((props: LinkAttributes<ButtonProps>) => <Button component="a" {...props} />);

export const PageNavLink = createLink((props: LinkAttributes<NavLinkProps>) => <NavLink component="a" {...props} />);
