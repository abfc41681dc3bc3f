import { createLink } from '@tanstack/react-router'
import { forwardRef, type AnchorHTMLAttributes } from 'react'

export const BackLink = createLink(
  forwardRef<HTMLAnchorElement, AnchorHTMLAttributes<HTMLAnchorElement>>(function BackLink(
    { children, ...props },
    ref,
  ) {
    return (
      <a ref={ref} {...props} className="back-link">
        <span aria-hidden="true">‹ </span>
        {children}
      </a>
    )
  }),
)
