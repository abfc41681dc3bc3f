import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { forwardRef, type AnchorHTMLAttributes } from 'react'

/** Looks like a button, is a link: it can be opened in another tab. */
export const LinkButton = createLink(
  forwardRef<
    HTMLAnchorElement,
    ButtonProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>
  >(function LinkButton(props, ref) {
    return <Button component="a" ref={ref} {...props} />
  }),
)
