import { Drawer, Modal } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { isOpen?: boolean; onClose: () => void; title: string; children: ReactNode }

/** A dialogue in the middle of the page. Its header is no landmark, which the page has one of already. */
export function Dialogue({ isOpen = true, onClose, title, children }: Props) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} centered>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** The same at the side, for looking at one row of a table without leaving it. */
export function SideDialogue({ isOpen = true, onClose, title, children }: Props) {
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right">
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Header role="presentation">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Drawer.Header>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
