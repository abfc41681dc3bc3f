package bursar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON with exact money: amounts are read as BigDecimal with two decimals, from the digits that were sent. */
final class Json {
    private static final int MAX_DEPTH = 100;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** Objects become maps, arrays lists, whole numbers Long, others BigDecimal. */
    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value("");
        json.blanks();
        if (json.at != text.length()) throw json.unexpected();
        return value;
    }

    private Object value(String key) {
        blanks();
        if (at >= text.length() || depth > MAX_DEPTH) throw unexpected();
        switch (text.charAt(at)) {
            case '{':
                return object();
            case '[':
                return array(key);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number(key);
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> object = new LinkedHashMap<>();
        depth++;
        at++;
        blanks();
        while (peek() != '}') {
            String key = string();
            blanks();
            take(':');
            object.put(key, value(key));
            next('}');
        }
        at++;
        depth--;
        return object;
    }

    private List<Object> array(String key) {
        List<Object> array = new ArrayList<>();
        depth++;
        at++;
        blanks();
        while (peek() != ']') {
            array.add(value(key));
            next(']');
        }
        at++;
        depth--;
        return array;
    }

    private void next(char end) {
        blanks();
        if (peek() == end) return;
        take(',');
        blanks();
        if (peek() == end) throw unexpected();
    }

    private String string() {
        take('"');
        StringBuilder read = new StringBuilder();
        for (char letter = peek(); letter != '"'; letter = peek()) {
            at++;
            read.append(letter == '\\' ? escaped() : letter);
        }
        at++;
        return read.toString();
    }

    private char escaped() {
        char letter = peek();
        at++;
        switch (letter) {
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                if (at + 4 > text.length()) throw unexpected();
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            default:
                return letter;
        }
    }

    private Object number(String key) {
        int start = at;
        while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) at++;
        if (start == at) throw unexpected();
        BigDecimal number = new BigDecimal(text.substring(start, at));
        if (Amounts.NAMES.contains(key)) return number.setScale(Math.max(2, number.scale()));
        return number.scale() <= 0 && number.precision() < 19 ? (Object) number.longValueExact() : number;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw unexpected();
        at += word.length();
        return value;
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char peek() {
        if (at >= text.length()) throw unexpected();
        return text.charAt(at);
    }

    private void take(char wanted) {
        if (peek() != wanted) throw unexpected();
        at++;
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("This is not JSON, at character " + at + ".");
    }

    static String write(Object value) {
        StringBuilder written = new StringBuilder();
        write(value, written);
        return written.toString();
    }

    private static void write(Object value, StringBuilder to) {
        if (value instanceof Body) {
            write(((Body<?>) value).fields(), to);
        } else if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                to.append(before);
                writeText(String.valueOf(entry.getKey()), to);
                to.append(':');
                write(entry.getValue(), to);
                before = ",";
            }
            to.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof Iterable) {
            String before = "[";
            for (Object item : (Iterable<?>) value) {
                to.append(before);
                write(item, to);
                before = ",";
            }
            to.append(before.equals("[") ? "[]" : "]");
        } else if (value instanceof BigDecimal) {
            // As text, which keeps every digit on every way.
            writeText(((BigDecimal) value).toPlainString(), to);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            to.append(value);
        } else {
            writeText(value.toString(), to);
        }
    }

    private static void writeText(String text, StringBuilder to) {
        to.append('"');
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') to.append('\\').append(letter);
            else if (letter < ' ') to.append(String.format("\\u%04x", (int) letter));
            else to.append(letter);
        }
        to.append('"');
    }
}
