import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  chooseCell,
  compareContents,
  isCellName,
  isUnchanged,
  lastIdOf,
  nextFirstId,
  type CellContent,
  type Directory,
} from '../../src/cells/directory.rules.ts'
import {
  parseMap,
  parseMapNumbers,
  planCommands,
  renderBackends,
  renderMap,
  toLines,
  toMaps,
} from '../../src/cells/maps.rules.ts'

const A = { id: 1, code: 'asha' }
const B = { id: 2, code: 'bela' }
const holding = (schools: CellContent['schools'], routes: CellContent['routes'] = []): CellContent => ({
  schools,
  routes,
})
const keyOf = (schoolId: number, value: string) => ({ kind: 'key', value, schoolId }) as const
const EMPTY: Directory = { schools: [], routes: [] }

test('what a cell has is routed to it, and nothing changes when it is read again', () => {
  const contents = new Map([
    ['north', holding([A], [keyOf(1, 'key_a')])],
    ['south', holding([B], [{ kind: 'account', value: 'pa_b', schoolId: 2 }])],
  ])
  const changes = compareContents(EMPTY, contents)
  assert.deepEqual(changes.schools, [
    { ...A, cell: 'north' },
    { ...B, cell: 'south' },
  ])
  assert.deepEqual(
    changes.routes.map(({ value }) => value),
    ['key_a', 'pa_b'],
  )
  assert.ok(isUnchanged(compareContents({ schools: changes.schools, routes: changes.routes }, contents)))
})

test('a cell that is away keeps its routes', () => {
  const known = { schools: [{ ...A, cell: 'north' }], routes: [keyOf(1, 'key_a')] }
  const changes = compareContents(known, new Map([['south', holding([])]]))
  assert.ok(isUnchanged(changes))
  assert.deepEqual(changes.missing, [])
})

test('a school that left its cell for another is routed there with its keys; in neither, it keeps its route', () => {
  const known = { schools: [{ ...A, cell: 'north' }], routes: [keyOf(1, 'key_a')] }
  const between = compareContents(
    known,
    new Map([
      ['north', holding([])],
      ['south', holding([])],
    ]),
  )
  assert.ok(isUnchanged(between))
  assert.deepEqual(between.missing, ['asha'])
  const after = compareContents(
    known,
    new Map([
      ['north', holding([])],
      ['south', holding([A], [keyOf(1, 'key_a')])],
    ]),
  )
  assert.deepEqual(after.schools, [{ ...A, cell: 'south' }])
  assert.deepEqual([after.routes, after.gone, after.missing, after.conflicts], [[], [], [], []])
})

test('of two schools with one code, id or key the first stays, and the other is told of', () => {
  const known = { schools: [{ ...A, cell: 'north' }], routes: [keyOf(1, 'key_a')] }
  const north: [string, CellContent] = ['north', holding([A], [keyOf(1, 'key_a')])]
  for (const other of [A, { id: 9, code: 'asha' }, { id: 1, code: 'other' }]) {
    const changes = compareContents(
      known,
      new Map([north, ['south', holding([other], [keyOf(other.id, 'key_a')])]]),
    )
    assert.ok(isUnchanged(changes), JSON.stringify(other))
    assert.deepEqual(changes.conflicts, [
      { cell: 'south', what: 'school', value: other.code, other: 'north' },
    ])
  }
  // Its cell is away and may still have it.
  assert.equal(compareContents(known, new Map([['south', holding([A])]])).conflicts.length, 1)
  const keys = compareContents(known, new Map([north, ['south', holding([B], [keyOf(2, 'key_a')])]]))
  assert.deepEqual(keys.conflicts, [{ cell: 'south', what: 'key', value: 'key_a', other: 'north' }])
  assert.deepEqual(keys.routes, [])
})

test('an account that is gone is not routed any more, if its school was read', () => {
  const known = { schools: [{ ...A, cell: 'north' }], routes: [keyOf(1, 'key_a')] }
  const changes = compareContents(known, new Map([['north', holding([A])]]))
  assert.deepEqual(changes.gone, [{ kind: 'key', value: 'key_a' }])
})

test('every cell gets a million ids of its own, the first one from 1 on', () => {
  const first = { firstInstituteId: nextFirstId([]) }
  const second = { firstInstituteId: nextFirstId([first]) }
  assert.equal(first.firstInstituteId, 1)
  assert.equal(second.firstInstituteId, lastIdOf(first) + 1)
  assert.equal(nextFirstId([second, first]), lastIdOf(second) + 1)
})

const loadOf = (name: string, students: number | null, isDraining = false) => ({ name, students, isDraining })

test('a new school goes to the cell with the fewest students that answers and does not drain', () => {
  assert.equal(chooseCell([loadOf('a', 30), loadOf('b', 10, true), loadOf('c', null), loadOf('d', 20)]), 'd')
  assert.equal(chooseCell([loadOf('b', 10, true), loadOf('c', null)]), null)
})

test('names of the proxy’s own backends are not names of cells', () => {
  assert.deepEqual(['north', 'n1-2', 'any', 'files', 'North', '1n', 'a b', ''].filter(isCellName), [
    'north',
    'n1-2',
  ])
})

test('the commands turn whatever a proxy has into what is wanted', () => {
  const marks = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.constantFrom('north', 'south', 'west'))
  fc.assert(
    fc.property(marks, marks, (running, wanted) => {
      const map = new Map(Object.entries(running))
      const target = new Map(Object.entries(wanted))
      const commands = toLines(planCommands(7, map, target)).flatMap(line => line.split(';'))
      for (const command of commands) {
        const [verb, , number, mark = '', cell = ''] = command.split(' ')
        assert.equal(number, '#7')
        // HAProxy adds a second entry beside a known one, and sets and deletes only known ones.
        assert.equal(map.has(mark), verb !== 'add', command)
        if (verb === 'del') map.delete(mark)
        else map.set(mark, cell as 'north')
      }
      assert.deepEqual(map, target)
    }),
  )
})

test('a map file reads back as it was written, and so does what a proxy shows of it', () => {
  const { schools, ids, keys } = toMaps([{ name: 'north' }], {
    schools: [{ ...A, cell: 'north' }],
    routes: [keyOf(1, 'key_a'), keyOf(1, 'key with\nblanks'), keyOf(5, 'key_of_nobody')],
  })
  assert.equal(renderMap(schools), '@north north\nasha north\n')
  assert.equal(renderMap(ids), '1 north\n')
  assert.equal(renderMap(keys), 'key_a north\n')
  assert.deepEqual(parseMap(renderMap(schools)), schools)
  assert.deepEqual(parseMap('0x55d0 asha north\n0x55d8 @north north\n\n'), schools)
})

test('the maps of a proxy are found by the names of their files, wherever those are', () => {
  const said = `# id (file) description
-1 (/etc/haproxy/maps/keys.map) pattern loaded from file '/etc/haproxy/maps/keys.map' used by map at line 50
3 (/srv/a b/keys.map) pattern loaded from file '/srv/a b/keys.map' used by map at file 'haproxy.cfg' line 50. curr_ver=0
14 (schools.map) pattern loaded from file
15 (/etc/haproxy/other.map) pattern loaded from file
`
  assert.deepEqual(
    [...parseMapNumbers(said)],
    [
      ['keys', 3],
      ['schools', 14],
    ],
  )
})

test('commands stand in lines that fit the proxy’s buffer', () => {
  const commands = Array.from({ length: 2_000 }, (_, index) => `add map #1 key_${index} north`)
  const lines = toLines(commands)
  assert.ok(lines.every(line => line.length <= 8_000))
  assert.equal(lines.join(';'), commands.join(';'))
})

test('what no map knows goes to the first cell, and to the others while that one is away', () => {
  const text = renderBackends([
    { name: 'north', addresses: ['a:1', 'b:1'] },
    { name: 'south', addresses: ['c:1'] },
  ])
  const any = text.slice(text.indexOf('backend any'), text.indexOf('backend files'))
  assert.deepEqual(
    any.split('\n').filter(line => line.startsWith('  server')),
    ['  server north-1 a:1', '  server north-2 b:1', '  server south-1 c:1 backup'],
  )
})
