<?php

// For those without Composer: require this file.
declare(strict_types=1);

require_once __DIR__ . '/errors.php';
require_once __DIR__ . '/Amounts.php';
require_once __DIR__ . '/Json.php';
require_once __DIR__ . '/ItemList.php';
require_once __DIR__ . '/Client.php';
require_once __DIR__ . '/Types.php';
require_once __DIR__ . '/Bursar.php';
require_once __DIR__ . '/Webhooks.php';
