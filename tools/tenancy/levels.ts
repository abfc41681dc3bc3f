import type { Scope, Term } from './terms.ts'

/** A tenant table at one place of a statement; what stands in one place must be of one institute. */
export type Use = { label: string; institute: Term; act: 'read' | 'written' | 'locked' }

/** The tables that a query reads side by side, and those of the query around it if it refers to them. */
export type Level = { uses: Use[]; outer: Level | null; scope: Scope }
