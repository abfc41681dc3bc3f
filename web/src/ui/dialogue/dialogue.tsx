import { Drawer, Modal } from '@mantine/core'
import { useRef, type ReactNode } from 'react'
import { useDialogueFocus } from './use-dialogue-focus.ts'

type Props = {
  isOpen?: boolean
  onClose: () => void
  title: string
  /** It shows a text that is never shown again, so only its own button closes it. */
  isKept?: boolean
  /** It has a table in it. */
  isWide?: boolean
  children: ReactNode
}

const nothing = (): void => {}

/** The header has no banner role: the page has that landmark already. */
export function Dialogue({ isOpen = true, onClose, title, isKept = false, isWide = false, children }: Props) {
  const content = useRef<HTMLDivElement>(null)
  const close = isKept ? nothing : onClose
  const focus = useDialogueFocus(isOpen, close, content)
  return (
    <Modal.Root opened={isOpen} onClose={close} centered {...(isWide ? { size: 'xl' } : {})} {...focus}>
      <Modal.Overlay />
      <Modal.Content ref={content}>
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          {!isKept && <Modal.CloseButton aria-label="Close" />}
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** The same at the side, for looking at one row of a table without leaving it. */
export function SideDialogue({ isOpen = true, onClose, title, children }: Omit<Props, 'isWide'>) {
  const content = useRef<HTMLDivElement>(null)
  const focus = useDialogueFocus(isOpen, onClose, content)
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right" {...focus}>
      <Drawer.Overlay />
      <Drawer.Content ref={content}>
        <Drawer.Header role="presentation">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Drawer.Header>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
