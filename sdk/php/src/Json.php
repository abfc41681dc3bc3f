<?php

declare(strict_types=1);

namespace Bursar;

/** JSON with exact money: amounts are read as text with two decimals, such as "1234567.89". */
final class Json
{
    public static function parse(string $text): mixed
    {
        return self::read(json_decode($text, true, 512, JSON_THROW_ON_ERROR), '');
    }

    public static function write(mixed $value): string
    {
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    private static function read(mixed $value, string|int $key): mixed
    {
        if (is_array($value)) {
            foreach ($value as $name => $field) {
                $value[$name] = self::read($field, $name);
            }
            return $value;
        }
        return (is_int($value) || is_float($value)) && isset(Amounts::NAMES[$key]) ? self::readAmount((float) $value) : $value;
    }

    /**
     * A float holds every amount of the API exactly to the paisa; only arithmetic with it does not. An amount has no
     * third decimal. One that has is given as it came: rounding would hide it.
     */
    private static function readAmount(float $value): string
    {
        $decimals = 2;
        do {
            $amount = sprintf("%.{$decimals}F", $value);
        } while ((float) $amount !== $value && ++$decimals < 20);
        return $amount;
    }
}
