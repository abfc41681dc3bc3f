import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { skipWithout } from './languages.ts'

const bursar = await startBursar({ after })
const folder = mkdtempSync(join(tmpdir(), 'patterns-'))
after(() => rmSync(folder, { recursive: true }))

function patternsOf(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = typeof schema.pattern === 'string' ? [schema.pattern] : []
  return [...own, ...Object.values<Json>(schema).flatMap(patternsOf)]
}

const { body: document } = await bursar.demo.get('/openapi.json')
const patterns = [...new Set(patternsOf(document))]
/** One that these dialects refuse: a program that accepts it proves nothing of the others. */
const BROKEN = String.raw`^[\s()`

type Dialect = { name: string; file: string; source: string; command: readonly string[]; tool: string }

/** Each program compiles the patterns on its standard input, one a line, and prints those that it refuses. */
const DIALECTS: readonly Dialect[] = [
  {
    name: 'Java',
    tool: 'javac',
    file: 'Patterns.java',
    command: ['java', 'Patterns.java'],
    source: `import java.util.Scanner; import java.util.regex.*;
class Patterns { public static void main(String[] args) { var lines = new Scanner(System.in, "UTF-8").useDelimiter("\\n");
  while (lines.hasNext()) { var line = lines.next(); try { Pattern.compile(line); } catch (PatternSyntaxException e) { System.out.println(line); } } } }`,
  },
  {
    name: 'Ruby',
    tool: 'ruby',
    file: 'patterns.rb',
    // A warning of a class inside a class is how Ruby says that it reads something else.
    command: ['ruby', '-w', 'patterns.rb'],
    source: `$stderr = $stdout
STDIN.each_line(chomp: true) { |line| begin Regexp.new(line) rescue puts line end }`,
  },
  {
    name: 'Go',
    tool: 'go',
    file: 'patterns.go',
    command: ['go', 'run', 'patterns.go'],
    source: `package main
import ("bufio"; "fmt"; "os"; "regexp")
func main() { lines := bufio.NewScanner(os.Stdin); for lines.Scan() { if _, err := regexp.Compile(lines.Text()); err != nil { fmt.Println(lines.Text()) } } }`,
  },
  {
    name: 'Python',
    tool: 'python3',
    file: 'patterns.py',
    command: ['python3', '-W', 'error', 'patterns.py'],
    source: `import re, sys
for line in sys.stdin.read().splitlines():
    try: re.compile(line)
    except Exception: print(line)`,
  },
]

test('the document has patterns to compile', () => assert.ok(patterns.length > 5, patterns.join('\n')))

for (const flag of ['u', 'v'])
  test(`every pattern of the document compiles in JavaScript with the flag ${flag}`, () => {
    assert.throws(() => new RegExp(BROKEN, flag), SyntaxError)
    for (const pattern of patterns) assert.doesNotThrow(() => new RegExp(pattern, flag), pattern)
  })

for (const { name, tool, file, source, command } of DIALECTS)
  test(`every pattern of the document compiles in ${name}`, { skip: skipWithout(tool) }, () => {
    writeFileSync(join(folder, file), source)
    const [program = '', ...args] = command
    const input = [...patterns, BROKEN].join('\n')
    const { stdout, stderr } = spawnSync(program, args, { cwd: folder, input, encoding: 'utf8' })
    assert.deepEqual(stdout.trim().split('\n'), [BROKEN], stderr)
  })
