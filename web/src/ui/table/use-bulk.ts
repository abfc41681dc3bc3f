import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { BulkAnswer } from '../../../../src/console/lists/list.schemas.ts'
import { get, send } from '../../api/client.ts'
import type { PickedRows } from './list-parts.tsx'

/** The server takes so many in one request; each is done whole or not at all. */
const AT_ONCE = 100

export type BulkRun = {
  /** The list's address, which answers the keys of all that fit below `/keys`. */
  list: string
  /** The act's address. */
  path: string
  /** What the act calls the ids. */
  ids: string
  refreshes: readonly string[]
}

type State = {
  /** Null until it has begun. */
  total: number | null
  handled: number
  done: number
  leftOut: BulkAnswer['left_out']
  isRunning: boolean
  error: Error | null
}

export type Bulk = State & {
  start: (picked: PickedRows, body: Record<string, unknown>) => Promise<void>
  /** Goes on from the request that failed. */
  goOn: () => Promise<void>
}

const NOTHING: State = { total: null, handled: 0, done: 0, leftOut: [], isRunning: false, error: null }

type BulkPart = { body: Record<string, unknown>; size: number; key: string }

/** Does an act part by part. A part that fails is sent again under its own key, so nothing is done twice. */
export function useBulk({ list, path, ids: name, refreshes }: BulkRun): Bulk {
  const client = useQueryClient()
  const [state, setState] = useState(NOTHING)
  const rest = useRef<readonly BulkPart[]>([])
  useEffect(() => {
    if (!state.isRunning) return undefined
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [state.isRunning])

  const fail = (error: unknown): void =>
    setState(before => ({
      ...before,
      isRunning: false,
      error: error instanceof Error ? error : new Error('It failed.'),
    }))

  const goOn = async (): Promise<void> => {
    setState(before => ({ ...before, isRunning: true, error: null }))
    try {
      for (let part = rest.current[0]; part !== undefined; part = rest.current[0]) {
        const { size } = part
        const { data } = await send<BulkAnswer>('POST', path, part.body, part.key)
        rest.current = rest.current.slice(1)
        setState(before => ({
          ...before,
          handled: before.handled + size,
          done: before.done + data.done,
          leftOut: [...before.leftOut, ...data.left_out],
        }))
      }
      setState(before => ({ ...before, isRunning: false }))
    } catch (error) {
      fail(error)
    }
    await Promise.all(refreshes.map(key => client.invalidateQueries({ queryKey: [key] })))
  }

  const start = async (picked: PickedRows, body: Record<string, unknown>): Promise<void> => {
    setState({ ...NOTHING, isRunning: true })
    try {
      const keys = picked.ids ?? (await get<{ keys: string[] }>(`${list}/keys`, picked.all)).keys
      rest.current = partsOf(keys).map(part => ({
        body: { ...body, [name]: part },
        size: part.length,
        key: crypto.randomUUID(),
      }))
      setState(before => ({ ...before, total: keys.length }))
    } catch (error) {
      return fail(error)
    }
    return goOn()
  }
  return { ...state, start, goOn }
}

function partsOf(keys: readonly string[]): (readonly string[])[] {
  return Array.from({ length: Math.ceil(keys.length / AT_ONCE) }, (_, index) =>
    keys.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  )
}
