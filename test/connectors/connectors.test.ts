import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { skipWithout } from '../sdk/languages.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const skip = skipWithout('python3')
const python = (cwd: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)('python3', args, {
    cwd: resolve(ROOT, cwd),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })

test(
  'what the connectors share books every payment, refund, return and settlement once and to the paisa, and finds what differs',
  { skip },
  async () => {
    const { stderr } = await python('sdk/python', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.')
    assert.match(stderr, /^Ran \d\d tests.*\n\nOK\n$/m)
  },
)

/** Without the ERPs: that every file can be read, those that the manifest names are there, and what is imported of the client exists. */
const READ = `
import ast, importlib, pathlib, sys, xml.etree.ElementTree as tree
sys.path.insert(0, "sdk/python")
for path in pathlib.Path("connectors").rglob("*.py"):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bursar":
            module = importlib.import_module(node.module)
            for name in node.names:
                if not hasattr(module, name.name):
                    importlib.import_module(f"{node.module}.{name.name}")
addon = pathlib.Path("connectors/odoo/bursar_connector")
manifest = ast.literal_eval((addon / "__manifest__.py").read_text())
for name in manifest["data"]:
    text = (addon / name).read_text()
    if name.endswith(".xml"):
        tree.fromstring(text.encode())
print(len(manifest["data"]), "files")
`

test('files of the connectors can be read, and use of the client what it has', { skip }, async () => {
  assert.match((await python('.', '-c', READ)).stdout, /^3 files$/m)
})
