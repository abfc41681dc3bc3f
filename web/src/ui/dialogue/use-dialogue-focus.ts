import { useEffect, useEffectEvent, type RefObject } from 'react'

/** Open dialogues, the innermost last. */
const open: { close: () => void }[] = []
/** The opener of a dialogue that closes just as another replaces it. */
let handedOver: HTMLElement | null = null
/** The last focused element: without animations a menu is gone before its dialogue opens. */
let last: HTMLElement | null = null

// Escape closes one dialogue at a time; a list that is open in a field has it first.
window.addEventListener(
  'keydown',
  event => {
    const isTaken =
      event.target instanceof Element && event.target.getAttribute('data-mantine-stop-propagation') === 'true'
    if (event.key === 'Escape' && !event.isComposing && !isTaken) open.at(-1)?.close()
  },
  { capture: true },
)

document.addEventListener('focusin', event => {
  if (event.target instanceof HTMLElement) last = lasting(event.target)
})

/**
 * Escape, and the focus back to whatever opened the dialogue. Mantine does both only for a dialogue that is there
 * before it opens and alone; ours come and go with what they are about, and one may stand on another.
 */
export function useDialogueFocus(
  isOpen: boolean,
  onClose: () => void,
  content: RefObject<HTMLElement | null>,
): { closeOnEscape: false; returnFocus: false } {
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (!isOpen) return undefined
    const opener = openerNow()
    const own = { close: () => close() }
    open.push(own)
    return () => {
      open.splice(open.indexOf(own), 1)
      handedOver = opener
      const { current: closing } = content
      setTimeout(() => {
        handedOver = null
        giveFocusBack(opener, closing)
      })
    }
  }, [isOpen, content])
  return { closeOnEscape: false, returnFocus: false }
}

function openerNow(): HTMLElement | null {
  const { activeElement: active } = document
  if (active instanceof HTMLElement && active !== document.body) return lasting(active)
  return handedOver ?? last
}

/** A menu item disappears with its menu; the button that opened the menu stays. */
function lasting(element: HTMLElement): HTMLElement {
  const button = element.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? ''
  return document.getElementById(button) ?? element
}

/** Unless the focus has moved on. If the opener is gone or disabled, the page itself gets it. */
function giveFocusBack(opener: HTMLElement | null, closing: HTMLElement | null): void {
  const { activeElement: active } = document
  if (active !== null && active !== document.body && closing?.contains(active) !== true) return
  opener?.focus({ preventScroll: true })
  if (opener === null || document.activeElement !== opener)
    document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })
}
