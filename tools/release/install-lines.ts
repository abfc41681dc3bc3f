import type { Versions } from './artifacts.ts'

/** How each package of a release is installed in an empty folder, and its first call: printed for people, and run by verify.ts. */
export type Install = {
  title: string
  /** The files that it takes. */
  files: readonly string[]
  /** What has to be on the machine, as a command that succeeds then. */
  tools: readonly (readonly [string, ...string[]])[]
  lines: readonly string[]
  /** What the lines write in the end. */
  says: RegExp
}

const NODE = ['node', '--version'] as const
const PYTHON = ['python3', '-m', 'venv', '--help'] as const
const PHP = ['php', '--version'] as const
/** Without it Composer reads no archives. */
const PHP_ZIP = ['php', '-r', "exit(extension_loaded('zip') ? 0 : 1);"] as const
const UNZIP = ['unzip', '-v'] as const

export const SERVER_TITLE = 'The server'

export function installsOf({ server, cli, clients, frappe, odoo }: Versions): Install[] {
  const wheel = wheelOf(clients)
  const addon = `odoo/bursar-odoo-${odoo}.tar.gz`
  const app = `frappe/bursar-frappe-${frappe}.tar.gz`
  const context = `container/bursar-${server}-context.tar.gz`
  return [
    fromNpm(SERVER_TITLE, `npm/bursar-${server}.tgz`, /Bursar is running/, [
      'npx bursar   # http://127.0.0.1:8080, its data in ./data',
    ]),
    fromNpm('The command line', `npm/bursar-cli-${cli}.tgz`, /"status": "success"/, [
      'npx bursar-cli get pay/orders -f limit=1',
    ]),
    fromNpm('The client for Node', `npm/bursar-sdk-${clients}.tgz`, PAID, [
      written('first.mjs', NODE_CALL),
      'node first.mjs',
    ]),
    ...pythonInstalls(clients),
    ...phpInstalls(clients),
    ...compiledInstalls(clients),
    {
      title: 'The app for Frappe',
      files: [app, wheel],
      tools: [PYTHON],
      // In a bench `env` is there. What needs Frappe is tested by hand: connectors/frappe/README.md.
      lines: [
        `mkdir -p apps && tar -xzf "$RELEASE/${app}" -C apps`,
        'python3 -m venv env',
        `env/bin/pip install --quiet "$RELEASE/${wheel}" -e apps/bursar_connector`,
        `env/bin/python -c 'import bursar_connector, bursar.connector.sync; print("OK")'`,
      ],
      says: /^OK$/m,
    },
    {
      title: 'The module for Odoo',
      files: [addon, wheel],
      tools: [PYTHON],
      // What needs Odoo is tested by hand: connectors/odoo/README.md.
      lines: [
        `mkdir -p addons && tar -xzf "$RELEASE/${addon}" -C addons`,
        'python3 -m venv env',
        `env/bin/pip install --quiet --no-index "$RELEASE/${wheel}"`,
        `env/bin/python -m compileall -q addons && env/bin/python -c 'import bursar.connector.sync; print("OK")'`,
      ],
      says: /^OK$/m,
    },
    {
      title: 'The container',
      files: [context],
      tools: [['docker', 'info']],
      lines: [
        `docker build -f deploy/Dockerfile -t bursar:${server} - < "$RELEASE/${context}"`,
        `docker run --rm bursar:${server} node bin/bursar.mjs --version`,
      ],
      says: new RegExp(`^${server.replaceAll('.', '\\.')}$`, 'm'),
    },
  ]
}

function fromNpm(title: string, file: string, says: RegExp, then: readonly string[]): Install {
  const install = `npm install --no-audit --no-fund "$RELEASE/${file}"`
  return { title, files: [file], tools: [NODE], lines: [install, ...then], says }
}

const wheelOf = (version: string): string => `python/bursar_sdk-${version}-py3-none-any.whl`

function pythonInstalls(version: string): Install[] {
  return [
    pythonInstall('The client for Python', wheelOf(version), '--no-index '),
    pythonInstall('The client for Python, from its source', `python/bursar_sdk-${version}.tar.gz`, ''),
  ]
}

function pythonInstall(title: string, file: string, option: string): Install {
  return {
    title,
    files: [file],
    tools: [PYTHON],
    lines: [
      'python3 -m venv env',
      `env/bin/pip install --quiet ${option}"$RELEASE/${file}"`,
      written('first.py', PYTHON_CALL),
      'env/bin/python first.py',
    ],
    says: PAID,
  }
}

function phpInstalls(version: string): Install[] {
  const file = `composer/bursar-sdk-${version}.zip`
  const withComposer = [
    'composer init --quiet --no-interaction --name example/fees',
    'composer config repositories.bursar artifact "$RELEASE/composer"',
    `composer require --quiet bursar/sdk:${version}`,
    written('first.php', phpCall('vendor/autoload.php')),
    'php first.php',
  ]
  const without = [
    `unzip -q "$RELEASE/${file}" -d bursar`,
    written('first.php', phpCall('bursar/src/autoload.php')),
    'php first.php',
  ]
  const both = { files: [file], says: PAID }
  const title = 'The client for PHP'
  return [
    {
      title: `${title}, with Composer`,
      tools: [['composer', '--version'], PHP_ZIP],
      lines: withComposer,
      ...both,
    },
    { title: `${title}, without Composer`, tools: [PHP, UNZIP], lines: without, ...both },
  ]
}

function compiledInstalls(version: string): Install[] {
  const jar = `maven/bursar-sdk-${version}.jar`
  const go = `go/bursar-go-${version}.zip`
  return [
    {
      title: 'The client for Java',
      files: [jar],
      tools: [['javac', '-version']],
      lines: [
        written('First.java', JAVA_CALL),
        `javac -cp "$RELEASE/${jar}" First.java`,
        `java -cp "$RELEASE/${jar}:." First`,
      ],
      says: PAID,
    },
    {
      title: 'The client for Go',
      files: [go],
      tools: [['go', 'version'], UNZIP],
      lines: [
        `unzip -q "$RELEASE/${go}"`,
        'go mod init example.in/fees',
        `go mod edit -require=bursar@v0.0.0 -replace=bursar=./bursar-go-${version}`,
        written('main.go', GO_CALL),
        'go run .',
      ],
      says: PAID,
    },
  ]
}

function written(file: string, text: string): string {
  return `cat > ${file} <<'END'\n${text}END`
}

/** What every first call ends with: the order is paid, and its amount has its paise. */
const PAID = /^paid 51500\.50?$/m

const NODE_CALL = `import { Bursar } from 'bursar-sdk'

const { BURSAR_API_URL: baseUrl = 'http://127.0.0.1:8080' } = process.env
const bursar = new Bursar({ baseUrl, apiKey: 'key_test_demo', apiSecret: 'secret_test_demo' })
const { order_id } = await bursar.createPayOrder({
  name: 'Asha Rao',
  phone: '+91 98765 43210',
  email: 'asha@example.in',
  details: [{ component_type: 'TUITION_FEE', amount: '51500.50' }],
})
await bursar.sandboxPay(order_id, { outcome: 'success' })
const { status, details } = await bursar.getPayOrder(order_id)
console.log(status, details[0].amount)
`

const PYTHON_CALL = `import os
from bursar import Bursar

bursar = Bursar(os.environ.get("BURSAR_API_URL", "http://127.0.0.1:8080"), "key_test_demo", "secret_test_demo")
order = bursar.create_pay_order(
    {
        "name": "Asha Rao",
        "phone": "+91 98765 43210",
        "email": "asha@example.in",
        "details": [{"component_type": "TUITION_FEE", "amount": "51500.50"}],
    }
)
bursar.sandbox_pay(order["order_id"], {"outcome": "success"})
paid = bursar.get_pay_order(order["order_id"])
print(paid["status"], paid["details"][0]["amount"])
`

function phpCall(autoload: string): string {
  return `<?php
require '${autoload}';

$bursar = new Bursar\\Bursar(getenv('BURSAR_API_URL') ?: 'http://127.0.0.1:8080', 'key_test_demo', 'secret_test_demo');
$order = $bursar->createPayOrder([
    'name' => 'Asha Rao',
    'phone' => '+91 98765 43210',
    'email' => 'asha@example.in',
    'details' => [['component_type' => 'TUITION_FEE', 'amount' => '51500.50']],
]);
$bursar->sandboxPay($order['order_id'], ['outcome' => 'success']);
$paid = $bursar->getPayOrder($order['order_id']);
echo $paid['status'], ' ', $paid['details'][0]['amount'], "\\n";
`
}

const JAVA_CALL = `import bursar.Bursar;
import bursar.Types.*;
import java.math.BigDecimal;
import java.util.List;

public class First {
    public static void main(String[] args) {
        String url = System.getenv().getOrDefault("BURSAR_API_URL", "http://127.0.0.1:8080");
        Bursar bursar = new Bursar(url, "key_test_demo", "secret_test_demo");
        CreatedOrder order = bursar.createPayOrder(new CreateOrderRequest()
                .name("Asha Rao")
                .phone("+91 98765 43210")
                .email("asha@example.in")
                .details(List.of(new OrderLineInput().componentType("TUITION_FEE").amount(new BigDecimal("51500.50")))));
        bursar.sandboxPay(order.orderId(), new SandboxPayRequest().outcome("success"));
        PayOrder paid = bursar.getPayOrder(order.orderId());
        System.out.println(paid.status() + " " + paid.details().get(0).amount());
    }
}
`

const GO_CALL = `package main

import (
	"bursar"
	"context"
	"fmt"
	"log"
	"os"
)

func main() {
	url := os.Getenv("BURSAR_API_URL")
	if url == "" {
		url = "http://127.0.0.1:8080"
	}
	ctx := context.Background()
	client := bursar.New(url, "key_test_demo", "secret_test_demo")
	order, err := client.CreatePayOrder(ctx, bursar.CreateOrderRequest{
		Name: "Asha Rao", Phone: "+91 98765 43210", Email: "asha@example.in",
		Details: []bursar.OrderLineInput{{ComponentType: "TUITION_FEE", Amount: "51500.50"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.SandboxPay(ctx, order.OrderID, bursar.SandboxPayRequest{Outcome: "success"}); err != nil {
		log.Fatal(err)
	}
	paid, err := client.GetPayOrder(ctx, order.OrderID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(paid.Status, paid.Details[0].Amount)
}
`
