<?php
require __DIR__ . '/vendor/autoload.php';

use OpenAPI\Client\Api\PayOrdersApi;
use OpenAPI\Client\Api\SandboxApi;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\CreateOrderRequest;
use OpenAPI\Client\Model\OrderLineInput;
use OpenAPI\Client\Model\SandboxPayRequest;

$configuration = (new Configuration())
    ->setHost(getenv('BURSAR_API_URL'))
    ->setUsername('key_test_demo')
    ->setPassword('secret_test_demo');
$http = new GuzzleHttp\Client();
$orders = new PayOrdersApi($http, $configuration);
$line = new OrderLineInput(['component_type' => 'TUITION_FEE', 'amount' => 1234567.89]);
$wanted = new CreateOrderRequest([
    'name' => 'Asha Rao',
    'phone' => '+91 98765 43210',
    'email' => 'asha@example.in',
    'details' => [$line],
]);
$id = $orders->createPayOrder($wanted)->getData()->getOrderId();
(new SandboxApi($http, $configuration))->sandboxPay($id, new SandboxPayRequest(['outcome' => 'success']));
$order = $orders->getPayOrder($id)->getData();
printf("%s %.2f\n", $order->getStatus(), $order->getDetails()[0]->getAmount());
