import { useHotkeys } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Dialogue } from '../ui/dialogue/dialogue.tsx'

const GO = {
  h: { to: '/i/$institute', label: 'Home' },
  s: { to: '/i/$institute/students', label: 'Students' },
  c: { to: '/i/$institute/counter', label: 'Counter' },
  o: { to: '/i/$institute/orders', label: 'Orders & links' },
  f: { to: '/i/$institute/flex', label: 'Flex' },
  m: { to: '/i/$institute/money', label: 'Money' },
} as const
const isGo = (key: string): key is keyof typeof GO => Object.hasOwn(GO, key)

const SECOND_KEY_MS = 1_500

const OTHERS = [
  ['Ctrl K or /', 'Search: children, orders, receipts, pages and acts'],
  ['↑ ↓', 'Up and down the rows of a table; Enter opens one'],
  ['Esc', 'Close what is open'],
  ['?', 'These keys'],
] as const

/** g and a letter lead to a page, ? tells the keys; never while somebody types. */
export function Keys() {
  const { institute } = useParams({ strict: false })
  const navigate = useNavigate()
  const [isShown, setIsShown] = useState(false)
  useHotkeys([['shift+?', () => setIsShown(true)]])
  useEffect(() => {
    let pressedMs = -Infinity
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target, key, timeStamp } = event
      const isTyping =
        target instanceof HTMLElement && target.closest('input, textarea, select, [role="dialog"]')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (isGo(key) && timeStamp - pressedMs < SECOND_KEY_MS && institute !== undefined)
        void navigate({ to: GO[key].to, params: { institute } })
      pressedMs = key === 'g' ? timeStamp : -Infinity
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [institute, navigate])
  return (
    <Dialogue isOpen={isShown} onClose={() => setIsShown(false)} title="Keys">
      <dl className="keys">
        {Object.entries(GO).map(([key, { label }]) => (
          <div key={key}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
        {OTHERS.map(([keys, label]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialogue>
  )
}
