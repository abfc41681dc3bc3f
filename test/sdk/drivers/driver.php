<?php

// The PHP client behind the protocol of driver.ts.
declare(strict_types=1);

require getenv('BURSAR_SDK');

use Bursar\ApiError;
use Bursar\Bursar;
use Bursar\BursarError;
use Bursar\ItemList;
use Bursar\Webhooks;

$bursar = new Bursar(getenv('BURSAR_URL'), getenv('BURSAR_KEY'), getenv('BURSAR_SECRET'), (int) getenv('BURSAR_TIMEOUT_MS') / 1000);

function answer(Bursar $bursar, array $question): mixed
{
    if (isset($question['verify'])) {
        $asked = $question['verify'];
        return Webhooks::verify($asked['body'], $asked['headers'], $asked['secret'], now: $asked['now'] ?? null);
    }
    $args = $question['args'];
    if (isset($question['file'])) {
        $args[] = $question['file']['text'];
    }
    if (isset($question['query'])) {
        $args[] = $question['query'];
    }
    if (isset($question['options']['idempotencyKey'])) {
        $args['idempotencyKey'] = $question['options']['idempotencyKey'];
    }
    $result = $bursar->{$question['call']}(...$args);
    if ($result instanceof ItemList) {
        return iterator_to_array($result, false);
    }
    return is_string($result) ? base64_encode($result) : $result;
}

while (($line = fgets(STDIN)) !== false) {
    try {
        $result = ['value' => answer($bursar, json_decode($line, true))];
    } catch (BursarError $error) {
        $known = ['class' => substr(strrchr($error::class, '\\'), 1), 'message' => $error->getMessage()];
        if ($error instanceof ApiError) {
            $known += ['code' => $error->errorCode, 'fields' => $error->fields, 'request_id' => $error->requestId, 'http_status' => $error->httpStatus];
        }
        $result = ['error' => $known];
    }
    echo json_encode($result), "\n";
}
